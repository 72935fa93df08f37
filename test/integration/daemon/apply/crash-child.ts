import type { Fault } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyDisk, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import {
  machineAt,
  plainRun,
  quickDisk,
  updatesOn,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { SceneName } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'

/** What a child process is told to do, as JSON in its argument. */
export interface Errand {
  readonly root: string
  readonly from: SceneName
  readonly to: SceneName
  /** Goes on with what another process began. */
  readonly resume?: boolean
  /** Where it is killed. */
  readonly fault?: Fault
}

/** A daemon with one thing to do. Tells how it went; unless it is killed on the way. */
const { root, from, to, resume, fault } = JSON.parse(process.argv[2]!) as Errand
const faults = new Faults(fault)
const updates = updatesOn(machineAt(root, faultyDisk(quickDisk, faults)))
const outcome = resume
  ? (await updates.interrupted()) && (await updates.resume(plainRun()))
  : await updates.run(updateOf(from, to), plainRun())
process.stdout.write(
  JSON.stringify({ is: outcome?.is ?? 'nothing to do', operations: faults.operations }),
)
