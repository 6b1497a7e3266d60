"""What is drawn beside the bodies: contacts and their forces, inertias, tendons, frames, groups."""

from typing import Any

from ..tape import Frame


class Looks:
    """Switches of mjviser's scene. What they show is of the selected world."""

    def __init__(self, view: Any):
        self._view, gui = view, view.server.gui
        drawn, mj = view.bodies.drawn, view.bodies.mj
        switches = (
            ("Contact points", "show_contact_points", False),
            ("Contact forces", "show_contact_forces", False),
            ("Inertia boxes", "show_inertia", False),
            ("Tendons", "show_tendons", mj.ntendon > 0),
            ("Actuators", "show_actuators", False),
            ("Convex hulls", "show_convex_hull", False),
        )
        for label, name, on in switches:
            if name == "show_tendons" and not mj.ntendon:
                continue
            setattr(drawn, name, bool(on))
            box = gui.add_checkbox(label, bool(on))
            box.on_update(lambda event, name=name: self._set(drawn, name, event.target.value))
        frames = gui.add_dropdown("Frames", ("None", "Body", "Geom", "Site"))
        frames.on_update(lambda event: self._set(drawn, "frame_mode", event.target.value))
        force = gui.add_slider("Force length", min=0.1, max=10.0, step=0.1, initial_value=1.0)
        unit = mj.vis.map.force
        force.on_update(
            lambda event: self._set(mj.vis.map, "force", unit * float(event.target.value))
        )
        dark = gui.add_checkbox("Dark", False)
        dark.on_update(lambda event: view.theme(event.target.value))
        with gui.add_folder("Groups", expand_by_default=False):
            drawn.create_groups_gui()

    def _set(self, owner: Any, name: str, value: Any) -> None:
        with self._view.drawing:
            setattr(owner, name, value)
        self._view.dirty.set()

    def refresh(self, frame: Frame) -> None:
        pass
