"""The panels beside the picture, a file each. A panel asks and shows; it never waits for a step.

Each has `refresh(frame)`, which the thread that draws calls a few times a second. Values that a
panel itself sets come back as events without a client, and are not requests.
"""
