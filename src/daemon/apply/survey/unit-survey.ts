import { sha256Hex } from '@machinist/core/encoding/digest'
import { dropinPath, unitPath } from '../../../api/node-paths.ts'
import type { PlanStep } from '../../../planner/model/update-plan.ts'
import type { HostFiles } from '../../host/host.ts'
import type { ConfigContents } from '../journal/config-contents.ts'
import { getEnablement, unitLinks } from '../machine/enablement.ts'
import type { ConfigSource, Enablement } from '../intent.ts'
import type { PathSurvey } from './path-survey.ts'

type UnitStep = Extract<PlanStep, { readonly unit: string }>

/** Collects the paths that change with units, drop-ins and the links that enable them. */
export class UnitSurvey {
  readonly #files: HostFiles
  readonly #paths: PathSurvey
  readonly #current: ConfigContents
  readonly #desired: ConfigContents
  #found: Enablement | undefined
  #enablement: Enablement | undefined

  constructor(
    files: HostFiles,
    paths: PathSurvey,
    current: ConfigContents,
    desired: ConfigContents,
  ) {
    this.#files = files
    this.#paths = paths
    this.#current = current
    this.#desired = desired
  }

  /** The current links, if systemctl will change them. */
  get enablement(): Enablement | undefined {
    return this.#enablement
  }

  addStep(step: UnitStep): Promise<void> {
    const { unit } = step
    switch (step.do) {
      case 'write-unit':
        return this.#writeUnit(unit)
      case 'mask-unit':
        return this.#mask(unit)
      case 'unmask-unit':
        return this.#unmask(unit)
      case 'remove-unit':
        return this.#paths.restoreOriginal(unitPath(unit))
      case 'write-dropin': {
        const { dropin } = step
        return this.#write(dropinPath(unit, dropin), { from: 'dropin', unit, dropin })
      }
      case 'remove-dropin':
        return this.#paths.restoreOriginal(dropinPath(unit, step.dropin))
    }
  }

  /** systemctl removes the links of disabled units itself; the survey needs to know which directories become empty. */
  async setUnits({ disable }: Extract<PlanStep, { do: 'set-units' }>): Promise<void> {
    this.#enablement = await this.#links()
    for (const unit of disable) await this.#unlink(unit)
  }

  /** A unit of the OS may be enabled elsewhere: its links go, and the plan enables the new unit if needed. */
  async #writeUnit(unit: string): Promise<void> {
    const path = unitPath(unit)
    if (!this.#current.paths().has(path)) await this.#unlink(unit)
    await this.#write(path, { from: 'unit', unit })
  }

  /** systemctl ignores the links of a masked unit, so they are removed here. */
  async #mask(unit: string): Promise<void> {
    await this.#unlink(unit)
    await this.#paths.put(unitPath(unit), { type: 'link', target: '/dev/null' })
  }

  /** Removes any mask, also one that an administrator made, but no unit file of an administrator. */
  async #unmask(unit: string): Promise<void> {
    const path = unitPath(unit)
    const entry = await this.#files.stat(path)
    const masked = entry?.type === 'symlink' && entry.target === '/dev/null'
    if (masked || this.#current.paths().has(path)) await this.#paths.restoreOriginal(path)
  }

  async #unlink(unit: string): Promise<void> {
    for (const link of unitLinks(unit, await this.#links())) await this.#paths.remove(link)
  }

  async #links(): Promise<Enablement> {
    this.#found ??= await getEnablement(this.#files)
    return this.#found
  }

  async #write(path: string, content: ConfigSource): Promise<void> {
    const digest = sha256Hex(this.#desired.content(content))
    await this.#paths.put(path, { type: 'file', mode: 0o644, uid: 0, gid: 0, digest }, content)
  }
}
