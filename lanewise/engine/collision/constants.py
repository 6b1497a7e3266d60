"""Numbers that the narrow phase and the driver share."""

NO_CONTACT = 1e10  # in found_dist: candidate k does not exist in this lane
WAITS = -1  # instead of a number of candidates: some worlds of the pair are to wait
