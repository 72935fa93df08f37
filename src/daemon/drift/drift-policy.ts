/**
 * How the daemon reacts when the disk differs from its config.
 *
 * - report: the node is Degraded until a user restores the disk or touches the force file, as with MCO.
 * - heal: the daemon rewrites what differs, unless that needs a drain or a reboot; then it reports the drift.
 * - block: as report, but the force file does not allow an update either.
 */
export type DriftPolicy = 'report' | 'heal' | 'block'
