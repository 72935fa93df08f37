import { beforeEach, describe, expect, it } from 'vitest'
import { trustItems } from '../../../../src/api/trust/items.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { Applied, ItemHandler, Look, Order } from '../../../../src/daemon/trust/item.ts'
import { bundle } from './certificates.ts'
import { Trial } from './trial.ts'

/** An item that is in another object than the ControllerConfig: what the lane asks of whoever handles it. */
class Elsewhere implements ItemHandler {
  readonly item = trustItems.apiServerCA
  readonly source = { kind: 'ConfigMap', name: 'kubeconfig-data' }
  readonly needsPayload = false
  content = 'one'
  disk: string | undefined
  asked = 0
  failure: Error | undefined
  readonly applied: (string | undefined)[] = []

  watched(): readonly string[] {
    return ['/elsewhere']
  }

  async look(): Promise<Look> {
    const digest = this.disk === undefined ? {} : { digest: this.disk }
    return { ...digest, holdings: [{ name: this.item, paths: [], certificates: [], ...digest }] }
  }

  async given(): Promise<string> {
    this.asked++
    if (this.failure) throw this.failure
    return this.content
  }

  async apply({ wanted, payload }: Order): Promise<Applied> {
    this.applied.push(payload?.metadata.name)
    this.disk = wanted
    return { written: [this.item] }
  }
}

let elsewhere: Elsewhere
let trial: Trial
const foreign = { saysDigests: false }
const last = (): string => trial.states().at(-1)!
beforeEach(async () => {
  elsewhere = new Elsewhere()
  trial = await Trial.open({ files: new MemoryHost().files, more: [elsewhere] })
})

describe('what is given elsewhere, where no digests are said', () => {
  it('is asked for with each generation, and when it rotates: once for each pulse', async () => {
    trial.config.give({ kubelet: await bundle('a') }, foreign)
    await trial.settle()
    await trial.settle()
    expect([elsewhere.disk, elsewhere.asked, trial.config.reads]).toEqual(['one', 1, 1])
    for (const content of ['two', 'three']) {
      elsewhere.content = content
      await trial.settle()
      expect(elsewhere.disk).not.toBe(content)
      trial.config.annotate('serviceCARotate', 'true')
      await trial.settle()
      await trial.settle()
      expect(elsewhere.disk).toBe(content)
      trial.config.annotate('serviceCARotate', 'false')
      await trial.settle()
    }
    expect(elsewhere.asked).toBe(3)
    elsewhere.content = 'four'
    trial.config.give({ kubelet: await bundle('b') }, foreign)
    await trial.settle()
    expect(elsewhere.disk).toBe('four')
    expect(last()).toBe('api-server-ca Current')
  })

  it('keeps nobody waiting while it does not answer, and is asked again', async () => {
    elsewhere.failure = new Error('the server is down')
    trial.config.give({ kubelet: await bundle('a') }, foreign)
    expect(await trial.once()).toBeGreaterThan(0)
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
    elsewhere.failure = undefined
    await trial.settle()
    expect([elsewhere.disk, last()]).toEqual(['one', 'api-server-ca Current'])
    expect(trial.written()).toEqual(['kubelet-client-ca', 'api-server-ca'])
  })
})

describe('what is given elsewhere, where digests are said', () => {
  it('is not asked for: the digest tells, and the ControllerConfig is not read for it', async () => {
    trial.config.give({})
    await trial.settle()
    expect([elsewhere.asked, trial.config.reads, last()]).toEqual([0, 0, 'api-server-ca NotGiven'])
    trial.config.say({ 'api-server-ca': 'five' })
    await trial.settle()
    expect([elsewhere.disk, elsewhere.asked, trial.config.reads]).toEqual(['five', 0, 0])
    expect(elsewhere.applied).toEqual([undefined])
    trial.config.annotate('serviceCARotate', 'true')
    await trial.settle()
    expect(elsewhere.applied).toHaveLength(1)
  })
})
