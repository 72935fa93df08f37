import { expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/resources.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { bundle } from '../../integration/daemon/trust/certificates.ts'
import type { Given } from '../../integration/daemon/trust/trial.ts'
import { Trial, TrialConfig } from '../../integration/daemon/trust/trial.ts'

/** Something else is given after the payload was read, and seen before it was used. */
class OvertakenConfig extends TrialConfig {
  next: Given | undefined

  override async read(): Promise<ControllerConfig> {
    const payload = await super.read()
    const { next } = this
    this.next = undefined
    if (next) this.give(next)
    return payload
  }
}

it.each([
  ['nothing at first, and by somebody who says no digests', {}, false],
  ['another one at first', { kubelet: await bundle('old') }, true],
])('a payload is %s: what came after it is delivered, too', async (_, first, saysDigests) => {
  const config = new OvertakenConfig()
  const { files } = new MemoryHost()
  const trial = await Trial.open({ files, config })
  config.give(first, { saysDigests })
  config.next = { kubelet: await bundle('a') }
  await trial.once()
  await trial.once()
  expect(trial.states()[0]).toBe('kubelet-client-ca Current')
  const found = Buffer.from(await files.read(nodePaths.kubeletCA)).toString()
  expect(found).toBe(await bundle('a'))
})
