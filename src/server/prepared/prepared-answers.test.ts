import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import {
  configName,
  renderedConfig,
  serverState,
  token,
  workerPool,
} from '../answer/state.fixture.ts'
import type { ServerState } from '../answer/state.ts'
import { PreparedAnswers } from './prepared-answers.ts'
import type { PreparedConfig } from './prepared-config.ts'

const versions: readonly IgnitionVersion[] = ['3.5']

function configOf(
  prepared: PreparedAnswers,
  state: ServerState,
  requested = versions,
  credential = token,
): PreparedConfig {
  const found = prepared.find(state, 'worker', requested, credential)
  if (found.type !== 'config') throw new Error(found.message)
  return found
}

describe('an answer is prepared once', () => {
  const state = serverState()
  const prepared = new PreparedAnswers()
  const first = configOf(prepared, state)

  it('and found again, also in a newer state with the same parts', () => {
    expect(configOf(prepared, state)).toBe(first)
    expect(configOf(prepared, { ...state, asOf: 7 })).toBe(first)
  })

  it('and found again if only other fields of the pool changed', () => {
    const pools = new Map([['worker', workerPool()]])
    expect(configOf(prepared, { ...state, pools })).toBe(first)
    const configs = new Map([...state.configs, ['other', renderedConfig()]])
    expect(configOf(prepared, { ...state, configs })).toBe(first)
  })

  it.each<[string, Partial<ServerState>]>([
    ['config', { configs: new Map([[configName, renderedConfig({ fips: true })]]) }],
    ['trust', { trust: { bundles: [], registries: [], problems: [] } }],
    ['kubeconfig', { kubeconfig: { type: 'file', text: 'x' } }],
  ])('and again for another %s', (_, more) => {
    const other = configOf(prepared, { ...state, ...more })
    expect(other.plain.etag).not.toBe(configOf(prepared, state).plain.etag)
  })

  it('and again for another credential', () => {
    const other = configOf(prepared, state, versions, 'other')
    expect(other.plain.etag).not.toBe(configOf(prepared, state).plain.etag)
  })
})

describe('the first version that can express the config', () => {
  const config = {
    ignition: { version: '3.5.0' },
    storage: { luks: [{ name: 'a', device: '/dev/a', discard: true }] },
  }
  const state = serverState(renderedConfig({ config }))

  it('is served', () => {
    const prepared = new PreparedAnswers()
    expect(configOf(prepared, state, ['2.2', '3.0', '3.1', '3.4', '3.5']).version).toBe('3.4')
    expect(configOf(prepared, state, ['3.5', '3.4']).version).toBe('3.5')
  })

  it('does not exist: the refusal is about the most preferred one', () => {
    const found = new PreparedAnswers().find(state, 'worker', ['3.1', '3.0'], token)
    expect(found).toMatchObject({ status: 406, reason: 'CannotConvert' })
    expect(found).toHaveProperty('message', expect.stringContaining('to Ignition 3.1.0'))
  })

  it('is not searched if no version helps', () => {
    expect(new PreparedAnswers().find(state, 'other', ['3.1'], token)).toMatchObject({
      status: 404,
    })
    expect(
      new PreparedAnswers().find({ ...state, trust: undefined }, 'worker', ['3.1'], token),
    ).toMatchObject({ status: 503, reason: 'NoControllerConfig' })
  })
})

describe('memory', () => {
  const state = serverState()
  const one = configOf(new PreparedAnswers(), state).plain.bytes.length * 2

  it('is limited: the answer that was not requested for the longest time is dropped', () => {
    const prepared = new PreparedAnswers(one * 2.5)
    const a = configOf(prepared, state, ['3.5'])
    const b = configOf(prepared, state, ['3.4'])
    expect(configOf(prepared, state, ['3.5'])).toBe(a)
    configOf(prepared, state, ['3.3'])
    expect(prepared.bytes).toBeLessThan(one * 2.5)
    expect(configOf(prepared, state, ['3.5'])).toBe(a)
    expect(configOf(prepared, state, ['3.4'])).not.toBe(b)
  })

  it('suffices for one answer of any size', () => {
    const prepared = new PreparedAnswers(1)
    expect(configOf(prepared, state)).toBe(configOf(prepared, state))
  })

  it('does not grow with the names of pools that do not exist', () => {
    const prepared = new PreparedAnswers()
    for (let i = 0; i < 1000; i++) prepared.find(state, `p${i}`, versions, token)
    expect(prepared.bytes).toBe(0)
  })

  it('is released by answers that are prepared again, and by deleted pools', () => {
    const prepared = new PreparedAnswers()
    for (const credential of ['a', 'b', 'c']) configOf(prepared, state, versions, credential)
    expect(prepared.bytes).toBeLessThan(one * 1.5)
    Array.from(prepared.refresh({ ...state, pools: new Map() }, token))
    expect(prepared.bytes).toBe(0)
  })
})

describe('a refresh', () => {
  it('prepares the newest version of a new pool', () => {
    const prepared = new PreparedAnswers()
    expect(Array.from(prepared.refresh(serverState(), token))).toHaveLength(1)
    expect(prepared.bytes).toBeGreaterThan(0)
  })

  it('prepares the versions that clients requested', () => {
    const prepared = new PreparedAnswers()
    const state = serverState()
    configOf(prepared, state, ['3.2'])
    configOf(prepared, state, ['3.4'])
    expect(Array.from(prepared.refresh(state, 'other'))).toHaveLength(2)
  })

  it('skips pools without a config', () => {
    const prepared = new PreparedAnswers()
    expect(Array.from(prepared.refresh(serverState(), undefined))).toEqual([])
  })
})

it('the compressed form has the same content and its own ETag', async () => {
  const config = configOf(new PreparedAnswers(), serverState())
  const compressed = await config.compressed()
  expect(gunzipSync(compressed.bytes)).toEqual(config.plain.bytes)
  expect(compressed.etag).not.toBe(config.plain.etag)
  expect(await config.compressed()).toBe(compressed)
})
