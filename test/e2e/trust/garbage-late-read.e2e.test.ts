import { expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { bundle } from '../../integration/daemon/trust/certificates.ts'
import type { Given } from '../../integration/daemon/trust/trial.ts'
import { Trial, TrialConfig } from '../../integration/daemon/trust/trial.ts'

/** The ControllerConfig changes after the payload was read, and the watch reports that before the payload is used. */
class ChangingConfig extends TrialConfig {
  next: Given | undefined

  override async fetch(): Promise<ControllerConfig> {
    const payload = await super.fetch()
    const { next } = this
    this.next = undefined
    if (next) this.give(next)
    return payload
  }
}

it.each([
  ['empty and without a digests annotation', {}, false],
  ['an old bundle', { kubelet: await bundle('old') }, true],
])(
  'a payload that changes after its read is delivered in its new state; the old one is %s',
  async (_, first, hasDigests) => {
    const config = new ChangingConfig()
    const { files } = new MemoryHost()
    const trial = await Trial.open({ files, config })
    config.give(first, { hasDigests })
    config.next = { kubelet: await bundle('a') }
    await trial.once()
    await trial.once()
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
    const found = Buffer.from(await files.read(nodePaths.kubeletCA)).toString()
    expect(found).toBe(await bundle('a'))
  },
)
