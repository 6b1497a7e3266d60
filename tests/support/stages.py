"""Stages of USD as text, and the MJCF that says the same, both by hand.

Numbers are such that single precision does not matter: they are read by their decimals, or are sums
of powers of two.
"""

HEAD = """#usda 1.0
(
    upAxis = "{up}"
    metersPerUnit = {length}
    kilogramsPerUnit = {mass}
)
"""


def head(up="Z", length=1, mass=1):
    return HEAD.format(up=up, length=length, mass=mass)


SCENE = """
def PhysicsScene "scene"
{{
    vector3f physics:gravityDirection = {down}
    float physics:gravityMagnitude = {size}
}}
"""

# ---- shapes: every primitive, in bodies that fall side by side

_BODY = """
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{{
    double3 xformOp:translate = ({x}, 0, 2)
    quatf xformOp:orient = (0.5, 0.5, 0.5, 0.5)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    def {kind} "{name}_shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
    {{
        {sizes}
        float physics:density = 500
        double3 xformOp:translate = (0.125, 0.25, -0.0625)
        float3 xformOp:scale = {scale}
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }}
}}
"""
# name: (kind, sizes, scale, the geom of MJCF)
Y_AXIS = 'quat="0.7071067811865476 -0.7071067811865476 0 0"'
X_AXIS = 'quat="0.7071067811865476 0 0.7071067811865476 0"'
SHAPES = {
    "box": ("Cube", "double size = 0.5", "(1, 0.5, 0.25)", 'type="box" size="0.25 0.125 0.0625"'),
    "ball": ("Sphere", "double radius = 0.25", "(0.5, 0.5, 0.5)", 'type="sphere" size="0.125"'),
    "egg": ("Sphere", "double radius = 0.5", "(0.5, 0.25, 0.125)",
            'type="ellipsoid" size="0.25 0.125 0.0625"'),
    "pill": ("Capsule", 'double radius = 0.1\n double height = 0.4\n uniform token axis = "X"',
             "(1, 1, 1)", f'type="capsule" size="0.1 0.2" {X_AXIS}'),
    "can": ("Cylinder", 'double radius = 0.1\n double height = 0.4\n uniform token axis = "Y"',
            "(2, 0.5, 2)", f'type="cylinder" size="0.2 0.1" {Y_AXIS}'),
}  # fmt: skip


def shapes_stage():
    bodies = "".join(
        _BODY.format(name=name, kind=kind, sizes=sizes, scale=scale, x=k)
        for k, (name, (kind, sizes, scale, _)) in enumerate(SHAPES.items())
    )
    floor = """
def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
{
    rel material:binding:physics = </rubber>
}
def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"])
{
    float physics:dynamicFriction = 0.7
    float physics:staticFriction = 0.7
}
"""
    return head() + SCENE.format(down="(0, 0, -1)", size=9.5) + floor + bodies


def shapes_mjcf():
    bodies = "".join(
        f'<body name="{name}" pos="{k} 0 2" quat="0.5 0.5 0.5 0.5"><freejoint/>'
        f'<geom density="500" pos="0.125 0.25 -0.0625" {geom}/></body>'
        for k, (name, (_, _, _, geom)) in enumerate(SHAPES.items())
    )
    return (
        '<mujoco><option gravity="0 0 -9.5"/><worldbody>'
        f'<geom type="plane" size="1 1 1" friction="0.7"/>{bodies}</worldbody></mujoco>'
    )


# ---- an arm with drives, in any units and with either axis up

_ARM = """
def Xform "robot" {wrapper}
{{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = {m[2]}
        double3 xformOp:translate = {base}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "base_box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {{
            double size = {L[0.25]}
        }}
    }}
    def Xform "upper" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = {m[1.5]}
        point3f physics:centerOfMass = {upper_com}
        float3 physics:diagonalInertia = {upper_inertia}
        quatf physics:principalAxes = (1, 0, 0, 0)
        double3 xformOp:translate = {upper}
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def Xform "hand" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {{
        double3 xformOp:translate = {hand}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
        {{
            double radius = {L[0.125]}
            float physics:mass = {m[0.5]}
        }}
    }}
    def PhysicsFixedJoint "hold" {on_joint}
    {{
        rel physics:body1 = </robot/base>
        point3f physics:localPos0 = {base}
    }}
    def PhysicsRevoluteJoint "shoulder" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/upper>
        uniform token physics:axis = "X"
        point3f physics:localPos0 = {upper_in_base}
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = {stiffness}
        float drive:angular:physics:damping = {damping}
        float drive:angular:physics:maxForce = {torque}
        float drive:angular:physics:targetPosition = 30
    }}
    def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["PhysicsDriveAPI:linear"])
    {{
        rel physics:body0 = </robot/upper>
        rel physics:body1 = </robot/hand>
        uniform token physics:axis = "X"
        point3f physics:localPos0 = {hand_in_upper}
        float physics:lowerLimit = {L[-0.25]}
        float physics:upperLimit = {L[0.5]}
        float drive:linear:physics:stiffness = {linear_stiffness}
        float drive:linear:physics:damping = {linear_damping}
        float drive:linear:physics:targetPosition = {L[0.125]}
    }}
}}
"""


class _Times(dict):
    """x: how a stage writes x times a unit."""

    def __init__(self, unit):
        self.unit = unit

    def __missing__(self, x):
        return f"{x / self.unit:.9g}"

    def __getitem__(self, key):
        return self.__missing__(float(key))


def _point(p, length, up):
    """A point of the world, z up, as the stage has it."""
    x, y, z = (v / length for v in p)
    return "({:.9g}, {:.9g}, {:.9g})".format(*((x, z, -y) if up == "Y" else (x, y, z)))


def arm_stage(up="Z", length=1.0, mass=1.0, root="none"):
    """The arm; root: where ArticulationRootAPI is, on a wrapper, a joint or nowhere."""
    torque = mass * length**2
    inertia = (0.25, 0.5, 0.75) if up == "Z" else (0.25, 0.75, 0.5)
    api = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'
    text = _ARM.format(
        m=_Times(mass), L=_Times(length),
        wrapper=api if root == "wrapper" else "", on_joint=api if root == "joint" else "",
        base=_point((0.5, 0.25, 1.0), length, up),
        upper=_point((0.5, 0.25, 1.5), length, up),
        upper_in_base=_point((0.0, 0.0, 0.5), length, up),
        upper_com=_point((0.0, 0.125, 0.25), length, up),
        upper_inertia="({:.9g}, {:.9g}, {:.9g})".format(*(x / torque for x in inertia)),
        hand=_point((0.5, 0.25, 2.0), length, up),
        hand_in_upper=_point((0.0, 0.0, 0.5), length, up),
        stiffness=f"{0.5 / torque:.9g}", damping=f"{0.0625 / torque:.9g}",
        torque=f"{12 / torque:.9g}", linear_stiffness=f"{80 / mass:.9g}",
        linear_damping=f"{4 / mass:.9g}",
    )  # fmt: skip
    down = "(0, -1, 0)" if up == "Y" else "(0, 0, -1)"
    return head(up, length, mass) + SCENE.format(down=down, size=f"{9.81 / length:.9g}") + text


PI = 3.141592653589793


def arm_mjcf(up="Z"):
    """Its twin. A body keeps the frame of its prim: with y up it is turned by a quarter about x."""
    k, d = 0.5 * 180 / PI, 0.0625 * 180 / PI
    turned = 'quat="0.7071067811865476 0.7071067811865476 0 0"' if up == "Y" else ""
    at = {
        "upper": "0 0.5 0" if up == "Y" else "0 0 0.5",
        "com": "0 0.25 -0.125" if up == "Y" else "0 0.125 0.25",
        "inertia": "0.25 0.75 0.5" if up == "Y" else "0.25 0.5 0.75",
    }
    return f"""
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="base" pos="0.5 0.25 1" {turned}>
      <geom type="box" size="0.125 0.125 0.125" mass="2"/>
      <body name="upper" pos="{at["upper"]}">
        <inertial mass="1.5" pos="{at["com"]}" diaginertia="{at["inertia"]}"/>
        <joint name="shoulder" axis="1 0 0" range="{-PI / 2} {PI / 4}"/>
        <body name="hand" pos="{at["upper"]}">
          <joint name="slide" type="slide" axis="1 0 0" range="-0.25 0.5"/>
          <geom type="sphere" size="0.125" mass="0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="base" body2="upper"/></contact>
  <actuator>
    <general name="shoulder" joint="shoulder" biastype="affine" gainprm="{k}" biasprm="0 {-k} {-d}"
      forcerange="-12 12"/>
    <general name="slide" joint="slide" biastype="affine" gainprm="80" biasprm="0 -80 -4"/>
  </actuator>
</mujoco>"""
