"""Vector environments as other libraries take them, a file each: docs/gym.md#learning-libraries

Nothing is imported here, since each needs the library that it is for.
"""
