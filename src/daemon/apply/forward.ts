import type { Step } from '../../planner/update-plan.ts'
import type { Logger } from '@machinist/core/log'
import type { Host } from '../host/host.ts'
import type { Acting } from './actions.ts'
import type { Intent, PathChange } from './intent.ts'
import type { KeptFiles } from './kept-files.ts'
import type { NotedContents } from './noted-contents.ts'
import { stageOnce } from './os-change.ts'
import { parkIf } from './parked.ts'
import { setPassword } from './password.ts'
import { putState } from './path-state.ts'
import type { Run } from './update.ts'

/** Brings the disk to where the intent wants it. Each part may have been done before, wholly or not. */
export async function goForward(
  { host, log, kept }: Acting & { readonly kept: KeptFiles },
  contents: NotedContents,
  intent: Intent,
  { progress, signal }: Run,
  resumed: boolean,
): Promise<void> {
  const { files, units, accounts, os } = host
  const put = async ({ path, after, content }: PathChange): Promise<void> => {
    parkIf(signal)
    if (resumed) await files.tidy(path)
    const bytes = (): Promise<Uint8Array> => contents.content(content!)
    await kept.alone(path, async () => {
      const isKept = await kept.keeps(path, after.type === 'file' ? bytes : undefined)
      if (isKept) log.info('a file stays, because others brought what is wanted there', { path })
      else await putState(files, path, after, bytes)
    })
  }
  const { early, late } = unitLists(intent.update.plan.steps)
  progress('files')
  // Where a unit wants to be started is in its file: links go while the old one is there, and come when the new one is.
  await units.disable(early.disable)
  for (const change of intent.removed) await put(change)
  for (const { path } of intent.emptied) await files.removeDirectory(path)
  for (const { path, ...directory } of intent.made) await files.makeDirectory(path, directory)
  for (const change of intent.written) await put(change)
  for (const { user, after } of intent.passwords) await setPassword(accounts, user, after)
  parkIf(signal)
  if (intent.enablement) progress('units')
  await units.disable(late.disable)
  await units.preset(late.preset)
  await units.enable(await thatAreThere(late.enable, host, contents, log))
  if (intent.os) {
    parkIf(signal)
    progress('os')
    await stageOnce(os, intent.os.after)
  }
  for (const change of intent.stored) await put(change)
}

/** One that neither the machine nor the config has is passed over, as the machine may get it with another image. */
async function thatAreThere(
  names: readonly string[],
  { units }: Host,
  contents: NotedContents,
  log: Logger,
): Promise<string[]> {
  const found: string[] = []
  for (const unit of names) {
    if (contents.bringsUnit(unit) || (await units.enablement(unit)) !== 'not-found')
      found.push(unit)
    else log.info('a unit that shall be enabled is not there', { unit })
  }
  return found
}

interface UnitLists {
  readonly disable: readonly string[]
  readonly preset: readonly string[]
  readonly enable: readonly string[]
}

/** What is said about units before anything is done to their files, and after. */
function unitLists(steps: readonly Step[]): { early: UnitLists; late: UnitLists } {
  const firstFile = steps.findIndex((step) => 'unit' in step)
  const listed = (some: readonly Step[]): UnitLists => {
    const set = some.filter((step) => step.do === 'set-units')
    return {
      disable: set.flatMap(({ disable }) => disable),
      preset: set.flatMap(({ preset }) => preset),
      enable: set.flatMap(({ enable }) => enable),
    }
  }
  const border = Math.max(firstFile, 0)
  return { early: listed(steps.slice(0, border)), late: listed(steps.slice(border)) }
}
