"""The fields of an MjModel that kernels do not read, and what an edit of them does.

A line is `edit: what they are: names`, with the words of table.py; *unused* is what neither a step
nor mj_setConst reads. A model with flexes or plugins is refused, so that those fields are empty.
"""

_LINES = """
free: what a keyframe sets:
    key_time key_qpos key_qvel key_act key_ctrl key_mpos key_mquat key_plastic
checked: which equalities are active after a reset:
    eq_active0
made: margins of bodies, for MuJoCo's search for contacts:
    body_margin
made: boxes around bodies and what meshes are made of; rays and MuJoCo's search for contacts read them:
    bvh_aabb
made: for sleeping, which is not built:
    dof_length tree_sleep_policy
fixed+made: kinematic trees:
    body_treeid tendon_treenum tendon_treeid
fixed: which pairs of bodies may touch, or not:
    exclude_signature pair_signature
fixed: the structure of bodies, matrices and trees of boxes:
    body_simple body_bvhnum dof_Madr bvh_depth B_rownnz B_rowadr B_colind mapM2M
fixed: names of elements and files, and where they are:
    names_map name_bodyadr name_jntadr name_geomadr name_siteadr name_camadr name_lightadr
    name_flexadr name_meshadr name_skinadr name_hfieldadr name_texadr name_matadr name_pairadr
    name_excludeadr name_eqadr name_tendonadr name_actuatoradr name_sensoradr name_numericadr
    name_textadr name_tupleadr name_keyadr name_pluginadr
    hfield_pathadr mesh_pathadr skin_pathadr tex_pathadr tex_contenttypeadr
fixed: the layout of assets and of custom data:
    mesh_facenum mesh_bvhnum mesh_octadr mesh_octnum mesh_texcoordadr mesh_texcoordnum
    mesh_facenormal mesh_facetexcoord oct_child oct_depth
    skin_vertadr skin_vertnum skin_texcoordadr skin_faceadr skin_facenum skin_face
    skin_boneadr skin_bonenum skin_bonebodyid skin_bonevertadr skin_bonevertnum skin_bonevertid
    tex_type tex_colorspace tex_height tex_width tex_nchannel tex_adr
    numeric_adr numeric_size text_adr text_size tuple_adr tuple_size tuple_objtype tuple_objid
fixed: plugins:
    plugin plugin_attr plugin_attradr plugin_stateadr plugin_statenum
    body_plugin geom_plugin actuator_plugin sensor_plugin
fixed: the structure of flexes:
    flex_bendingadr flex_bvhadr flex_bvhnum flex_cellnum flex_centered flex_dim flex_edge
    flex_edgeadr flex_edgeequality flex_edgeflap flex_edgenum flex_elem flex_elemadr
    flex_elemdataadr flex_elemedge flex_elemedgeadr flex_elemlayer flex_elemnum flex_elemtexcoord
    flex_interp flex_matid flex_node flex_node0 flex_nodeadr flex_nodebodyid flex_nodenum
    flex_passive flex_plasticadr flex_plasticmode flex_rigid flex_shell flex_shelldataadr
    flex_shellnum flex_stiffnessadr flex_texcoord flex_texcoordadr flex_vert flex_vert0 flex_vertadr
    flex_vertbodyid flex_vertcell flex_vertnum flexedge_J_colind flexedge_J_rowadr flexedge_J_rownnz
    flexedge_invweight0 flexedge_length0 flexedge_rigid efm0_L efm0_L_colind efm0_L_rowadr
    efm0_L_rownnz efm0_dofid efmC_perm
unused: what flexes are like:
    flex_activelayers flex_bending flex_conaffinity flex_condim flex_contype flex_damping
    flex_edgedamping flex_edgestiffness flex_flatskin flex_friction flex_gap flex_group flex_margin
    flex_priority flex_radius flex_rgba flex_selfcollide flex_size flex_solimp flex_solmix
    flex_solref flex_stiffness flex_yield
unused: looks:
    geom_castshadow jnt_group site_group site_matid site_rgba tendon_group tendon_matid tendon_rgba
    tendon_width cam_ipd cam_output light_active light_ambient light_attenuation light_bulbradius
    light_castshadow light_cutoff light_diffuse light_exponent light_intensity light_range
    light_softness light_specular light_texid light_type mat_emission mat_metallic mat_reflectance
    mat_roughness mat_shininess mat_specular mat_texid mat_texrepeat mat_texuniform mesh_texcoord
    skin_bonebindpos skin_bonebindquat skin_bonevertweight skin_group skin_inflate skin_matid
    skin_rgba skin_texcoord skin_vert tex_data
unused: what the compiler or the user keeps there:
    mesh_scale oct_aabb oct_coeff sensor_noise numeric_data tuple_objprm
    body_user jnt_user geom_user site_user cam_user tendon_user actuator_user sensor_user
unused: options of features that are not built:
    opt.sleep_tolerance opt.sdf_initpoints opt.sdf_iterations
"""


def _sections():
    edit, what, names = "", "", []
    for line in _LINES.strip().splitlines():
        if line.startswith(" "):
            names += line.split()
            continue
        if names:
            yield edit, what, names
        edit, what, _ = (part.strip() for part in line.split(":"))
        names = []
    yield edit, what, names


# (words, what they are, names)
OTHERS = [(frozenset(edit.split("+")), what, tuple(names)) for edit, what, names in _sections()]
