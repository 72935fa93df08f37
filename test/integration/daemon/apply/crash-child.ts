import type { Fault } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyDisk, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import {
  machineAt,
  testRun,
  quickDisk,
  createUpdates,
} from '../../../../src/daemon/apply/machine.fixture.ts'
import type { ScenarioConfig } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { updateOf } from '../../../../src/daemon/apply/scenario.fixture.ts'

/** The task of a child process, as JSON in its argument. */
export interface ChildTask {
  readonly root: string
  readonly from: ScenarioConfig
  readonly to: ScenarioConfig
  /** Resume the update of another process. */
  readonly resume?: boolean
  /** The point at which the process is killed. */
  readonly fault?: Fault
}

/** A daemon that runs one task and prints the outcome, unless it is killed. */
const { root, from, to, resume, fault } = JSON.parse(process.argv[2]!) as ChildTask
const faults = new Faults(fault)
const updates = createUpdates(machineAt(root, faultyDisk(quickDisk, faults)))
const outcome = resume
  ? (await updates.interrupted()) && (await updates.resume(testRun()))
  : await updates.run(updateOf(from, to), testRun())
process.stdout.write(
  JSON.stringify({ type: outcome?.type ?? 'nothing to do', operations: faults.operations }),
)
