"""Worlds in a browser: `lanewise view MODEL`, or `lanewise.view(batch)`.

    opening.py        what `view` does: from a Batch or Data to a page
    session.py        the worlds: a loop that runs, stops, goes back; without any picture
    tape.py           what was recorded, and its file
    dragging.py       the spring between a body and the mouse
    controllers.py    kernels, functions and policies in the loop
    observing.py      what is computed of a frame to show it
    wording.py        a body in the words of another system
    arrangement.py    where worlds stand
    window.py         the server, the thread that draws
    scene/, panels/   what is drawn, and what stands beside it

Drawing is done by viser and mjviser (the extra `viewer`), which are imported when a page is opened.
"""

from .opening import view

__all__ = ["view"]
