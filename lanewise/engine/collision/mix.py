"""A contact's parameters, out of those of its two geoms or of the explicit pair that made it.

Margins and gaps of two geoms add up. Of the other parameters, those of the geom with the higher
priority are taken. Between equals friction is the larger, adhesion the sum, and solref and solimp
are weighed by solmix, except that a solref in the direct format (not positive) takes the smaller
numbers. An explicit pair has all parameters itself. Where overriding is enabled, the options o_*
replace what they name in every contact.
"""

from ...lanes import concat, kernel, maximum, minimum, vec, where
from ...mjconst import ENBL_OVERRIDE, MINMU, MINVAL


@kernel
def contact_margin(m, g1, g2, pair):
    """Distance below which the contact makes a force."""
    if m.opt.enableflags & ENBL_OVERRIDE:
        return m.opt.o_margin
    if pair >= 0:
        return m.pair_margin[pair]
    return m.geom_margin[g1] + m.geom_margin[g2]


@kernel
def contact_gap(m, g1, g2, pair):
    """Distance beyond the margin in which the contact is reported."""
    if pair >= 0:
        return m.pair_gap[pair]
    return m.geom_gap[g1] + m.geom_gap[g2]


@kernel
def contact_dim(m, g1, g2, pair):
    """Dimension of the contact space: 1, 3, 4 or 6."""
    if pair >= 0:
        return m.pair_dim[pair]
    a, b = deciders(m, g1, g2)
    return max(m.geom_condim[a], m.geom_condim[b])


@kernel
def contact_parameters(m, g1, g2, pair):
    """solref, solreffriction, solimp, friction, adhesion: 2 + 2 + 5 + 5 + 1 numbers"""
    if pair >= 0:
        ref = concat(m.pair_solref[pair], m.pair_solreffriction[pair])
        imp, friction = m.pair_solimp[pair], m.pair_friction[pair]
        adhesion = m.pair_adhesion[pair]
    else:
        a, b = deciders(m, g1, g2)
        mix = share(m.geom_solmix[a], m.geom_solmix[b])
        ref = mixed_solref(m.geom_solref[a], m.geom_solref[b], mix)
        imp = m.geom_solimp[a] * mix + m.geom_solimp[b] * (1.0 - mix)
        friction = mixed_friction(m.geom_friction[a], m.geom_friction[b])
        adhesion = m.geom_adhesion[a]
        if a != b:
            adhesion = adhesion + m.geom_adhesion[b]
    if m.opt.enableflags & ENBL_OVERRIDE:
        ref = concat(m.opt.o_solref, m.opt.o_solref)
        imp, friction = m.opt.o_solimp, m.opt.o_friction
    friction = vec(
        maximum(MINMU, friction[0]), maximum(MINMU, friction[1]), maximum(MINMU, friction[2]),
        maximum(MINMU, friction[3]), maximum(MINMU, friction[4]),
    )  # fmt: skip
    return concat(concat(ref, imp), concat(friction, vec(adhesion)))


@kernel
def deciders(m, g1, g2):
    """The geoms whose parameters are mixed: both, or twice the one with the higher priority."""
    a = g2 if m.geom_priority[g1] < m.geom_priority[g2] else g1
    b = g1 if m.geom_priority[g1] > m.geom_priority[g2] else g2
    return a, b


@kernel
def share(a, b):
    """Weight of the first of two geoms with these solmix; those that have none share equally."""
    no_a, no_b = a < MINVAL, b < MINVAL
    return where(no_a, where(no_b, 0.5, 0.0), where(no_b, 1.0, a / (a + b)))


@kernel
def mixed_solref(a, b, mix):
    """solref of two geoms, and zeros for that of friction: it follows the normal one."""
    standard = (a[0] > 0.0) & (b[0] > 0.0)
    smaller = vec(minimum(a[0], b[0]), minimum(a[1], b[1]))
    return concat(where(standard, a * mix + b * (1.0 - mix), smaller), vec(0.0, 0.0))


@kernel
def mixed_friction(a, b):
    """The larger of sliding, spinning and rolling friction, for five directions."""
    slide, spin, roll = maximum(a[0], b[0]), maximum(a[1], b[1]), maximum(a[2], b[2])
    return vec(slide, slide, spin, roll, roll)
