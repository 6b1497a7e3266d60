"""Numbers that the narrow phase and the driver share."""

NO_CONTACT = 1e10  # in found_dist: candidate k does not exist in this lane
