/**
 * What happens when the disk is not as the config says.
 *
 * - report: the node is Degraded until somebody restores it, or touches the force file. As the original does.
 * - heal: what differs is written anew, unless that would take a drain or a reboot; then it is reported.
 * - block: as report, but not even the force file lets an update pass.
 */
export type DriftPolicy = 'report' | 'heal' | 'block'
