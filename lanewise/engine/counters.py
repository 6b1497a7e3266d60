"""Warnings: kernels never raise, they count, world by world; the host speaks.

Of kinds that the user does not know of yet (`told`), the first is noted with its world and time.
What has no room is either left out and counted, or, if the host makes room (`grows`), noted: the
step ends before it changes the state, and the host repeats it.
"""

from ..lanes import W, kernel, lane_item, where

ROOM_CONTACTS, ROOM_ROWS = 1, 2  # kinds of room: nconmax, njmax


@kernel
def warn(d, kind, mask, info):
    """Raise the counter of one kind of warning in the worlds of mask."""
    warn_of(d, kind, mask, info, d.time)


@kernel
def warn_of(d, kind, mask, info, time):
    """The same, of a time that may be over; not of what is going to be repeated."""
    if d.no_room:
        return
    d.warning.number[kind] = where(mask, d.warning.number[kind] + 1.0, d.warning.number[kind])
    d.warning.lastinfo[kind] = where(mask, info * 1.0, d.warning.lastinfo[kind])
    if not d.told & (1 << kind):
        d.notice = 1
        if not d.noted & (1 << kind):
            d.noted = d.noted | (1 << kind)
            on, about = where(mask, 1.0, 0.0), where(mask, info * 1.0, 0.0)
            # the first of the worlds, which is the last to be written
            for lane in range(W - 1, -1, -1):
                if lane_item(on, lane) > 0.0:
                    d.note_world[kind] = d.lane_world[lane]
                    d.note_info[kind] = lane_item(about, lane)
                    d.note_time[kind] = lane_item(time, lane)


@kernel
def lack(d, room, kind, mask, info):
    """There was no room for something in the worlds of mask; `kind` is the warning that says so."""
    if d.grows & room:
        d.no_room = d.no_room | room
        d.notice = 1
    else:
        warn(d, kind, mask, info)
