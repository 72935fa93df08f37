/**
 * How long a cache usually needs to show what somebody else wrote. Who finds out by a conflict that it acted on an old
 * version waits this long: at once, it would most likely see the same version and conflict again.
 */
export const catchUpMs = 500
