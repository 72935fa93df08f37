import { systemClock } from '@machinist/core/clock'
import { linuxHost } from '../../src/daemon/host/linux/linux-host.ts'

/** A service for a test: records each boot, requests a reboot after the first one, and keeps running. */
const { files, power } = linuxHost({ clock: systemClock, root: '/' })
const notes = '/var/lib/reboots-once'

const isFirst = (await files.stat(notes)) === undefined
await files.append(notes, Buffer.from(`${await power.bootId()}\n`))
if (isFirst) await power.reboot('the first of two boots')
setInterval(() => {}, 60_000)
