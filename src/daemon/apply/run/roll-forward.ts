import type { Logger } from '@machinist/core/log'
import type { PlanStep } from '../../../planner/model/update-plan.ts'
import type { Host } from '../../host/host.ts'
import type { Intent, PathChange } from '../intent.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import type { IntentContents } from '../journal/intent-contents.ts'
import { stageIfNeeded } from '../machine/os-change.ts'
import { setPassword } from '../machine/password.ts'
import { setPathState } from '../machine/path-state.ts'
import type { UpdateRun } from '../update.ts'
import type { ActionContext } from './actions.ts'
import { parkIfAborted } from './parked.ts'

/** Brings the machine to the state that the intent describes. Idempotent: any part may be done already, or half done. */
export async function rollForward(
  { host, log, shared }: ActionContext & { readonly shared: SharedFiles },
  contents: IntentContents,
  intent: Intent,
  { progress, signal }: UpdateRun,
  resumed: boolean,
): Promise<void> {
  const { files, units, accounts, os } = host
  const put = async ({ path, after, content }: PathChange): Promise<void> => {
    parkIfAborted(signal)
    if (resumed) await files.tidy(path)
    const bytes = (): Promise<Uint8Array> => contents.content(content!)
    await shared.runExclusive(path, async () => {
      const isKept = await shared.keepsCurrent(path, after.type === 'file' ? bytes : undefined)
      if (isKept) log.info('keep file that another writer manages', { path })
      else await setPathState(files, path, after, bytes)
    })
  }
  const { early, late } = unitLists(intent.update.plan.steps)
  progress('files')
  // systemctl reads the [Install] section: disable units while the old file exists, enable them once the new one does.
  await units.disable(early.disable)
  for (const change of intent.removed) await put(change)
  for (const { path } of intent.emptied) await files.removeDirectory(path)
  for (const { path, ...directory } of intent.made) await files.makeDirectory(path, directory)
  for (const change of intent.written) await put(change)
  for (const { user, after } of intent.passwords) await setPassword(accounts, user, after)
  parkIfAborted(signal)
  if (intent.enablement) progress('units')
  await units.disable(late.disable)
  await units.preset(late.preset)
  await units.enable(await existingUnits(late.enable, host, contents, log))
  if (intent.os) {
    parkIfAborted(signal)
    progress('os')
    await stageIfNeeded(os, intent.os.after)
  }
  for (const change of intent.stored) await put(change)
}

/** Skips units that neither the machine nor the config has: another OS image may bring them. */
async function existingUnits(
  names: readonly string[],
  { units }: Host,
  contents: IntentContents,
  log: Logger,
): Promise<string[]> {
  const found: string[] = []
  for (const unit of names) {
    if (contents.hasUnitFile(unit) || (await units.enablement(unit)) !== 'not-found')
      found.push(unit)
    else log.info('skip enabling a unit that does not exist', { unit })
  }
  return found
}

interface UnitLists {
  readonly disable: readonly string[]
  readonly preset: readonly string[]
  readonly enable: readonly string[]
}

/** Splits the `set-units` steps into those before the first change to a unit file and those after it. */
function unitLists(steps: readonly PlanStep[]): { early: UnitLists; late: UnitLists } {
  const firstFile = steps.findIndex((step) => 'unit' in step)
  const listed = (part: readonly PlanStep[]): UnitLists => {
    const set = part.filter((step) => step.do === 'set-units')
    return {
      disable: set.flatMap(({ disable }) => disable),
      preset: set.flatMap(({ preset }) => preset),
      enable: set.flatMap(({ enable }) => enable),
    }
  }
  const split = Math.max(firstFile, 0)
  return { early: listed(steps.slice(0, split)), late: listed(steps.slice(split)) }
}
