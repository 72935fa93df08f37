import { beforeEach, describe, expect, it } from 'vitest'
import { trustItems } from '../../../../src/api/trust/items.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type {
  ApplyResult,
  ItemHandler,
  ObservedItem,
  ApplyRequest,
} from '../../../../src/daemon/trust/items/item.ts'
import { bundle } from './certificates.ts'
import { Trial } from './trial.ts'

/** Handles an item whose source is another object than the ControllerConfig. */
class SeparateSource implements ItemHandler {
  readonly item = trustItems.apiServerCA
  readonly source = { kind: 'ConfigMap', name: 'kubeconfig-data' }
  readonly needsPayload = false
  content = 'one'
  disk: string | undefined
  requests = 0
  failure: Error | undefined
  readonly applied: (string | undefined)[] = []

  watched(): readonly string[] {
    return ['/separate']
  }

  async observe(): Promise<ObservedItem> {
    const digest = this.disk === undefined ? {} : { digest: this.disk }
    return { ...digest, holdings: [{ name: this.item, paths: [], certificates: [], ...digest }] }
  }

  async sourceDigest(): Promise<string> {
    this.requests++
    if (this.failure) throw this.failure
    return this.content
  }

  async apply({ desired, payload }: ApplyRequest): Promise<ApplyResult> {
    this.applied.push(payload?.metadata.name)
    this.disk = desired
    return { written: [this.item] }
  }
}

let separate: SeparateSource
let trial: Trial
const withoutDigests = { hasDigests: false }
const last = (): string => trial.states().at(-1)!
beforeEach(async () => {
  separate = new SeparateSource()
  trial = await Trial.open({ files: new MemoryHost().files, more: [separate] })
})

describe('an item with a separate source, without a digests annotation', () => {
  it('is requested once for each generation and once for each pulse of a rotation', async () => {
    trial.config.give({ kubelet: await bundle('a') }, withoutDigests)
    await trial.settle()
    await trial.settle()
    expect([separate.disk, separate.requests, trial.config.reads]).toEqual(['one', 1, 1])
    for (const content of ['two', 'three']) {
      separate.content = content
      await trial.settle()
      expect(separate.disk).not.toBe(content)
      trial.config.annotate('serviceCARotate', 'true')
      await trial.settle()
      await trial.settle()
      expect(separate.disk).toBe(content)
      trial.config.annotate('serviceCARotate', 'false')
      await trial.settle()
    }
    expect(separate.requests).toBe(3)
    separate.content = 'four'
    trial.config.give({ kubelet: await bundle('b') }, withoutDigests)
    await trial.settle()
    expect(separate.disk).toBe('four')
    expect(last()).toBe('api-server-ca Current')
  })

  it('does not delay other items while its source cannot be read, and is requested again', async () => {
    separate.failure = new Error('the server is down')
    trial.config.give({ kubelet: await bundle('a') }, withoutDigests)
    expect(await trial.once()).toBeGreaterThan(0)
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
    separate.failure = undefined
    await trial.settle()
    expect([separate.disk, last()]).toEqual(['one', 'api-server-ca Current'])
    expect(trial.written()).toEqual(['kubelet-client-ca', 'api-server-ca'])
  })
})

describe('an item with a separate source, with a digests annotation', () => {
  it('is requested only if its digest changes, and the ControllerConfig is not read for it', async () => {
    trial.config.give({})
    await trial.settle()
    expect([separate.requests, trial.config.reads, last()]).toEqual([
      0,
      0,
      'api-server-ca NotGiven',
    ])
    trial.config.setDigests({ 'api-server-ca': 'five' })
    await trial.settle()
    expect([separate.disk, separate.requests, trial.config.reads]).toEqual(['five', 0, 0])
    expect(separate.applied).toEqual([undefined])
    trial.config.annotate('serviceCARotate', 'true')
    await trial.settle()
    expect(separate.applied).toHaveLength(1)
  })
})
