"""One world: load, push, step, look. The names and shapes are MuJoCo's."""

import lanewise as lw


def main() -> None:
    m = lw.load(lw.models.path("pendulum"))
    d = lw.Data(m)
    lw.reset_data(m, d, "up")
    d.qvel[0] = 0.1  # a touch, and it falls
    for k in range(400):
        if k % 80 == 0:
            lw.forward(m, d)
            x, _, z = d.geom_xpos[m.geom("bob").id]
            print(
                f"{d.time:5.2f} s   angle {d.qpos[0]:6.3f} rad   bob at x {x:6.3f} m, z {z:6.3f} m"
            )
        lw.step(m, d)


if __name__ == "__main__":
    main()
