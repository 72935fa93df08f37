/**
 * How long a cache usually takes to show a write of another process. After a conflict a controller waits this long: an
 * immediate retry would most likely read the same version and conflict again.
 */
export const catchUpMs = 500
