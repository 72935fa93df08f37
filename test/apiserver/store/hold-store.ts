import { openSqliteStore } from '../../../src/apiserver/store/sqlite-store.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'

/** A process that has a store open until it is killed. */
const store = openSqliteStore({
  directory: process.argv[2]!,
  clock: systemClock,
  log: silentLogger,
})
await store.write('/held', '1', 0)
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
