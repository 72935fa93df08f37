import { describe, expect, it } from 'vitest'
import { fileWith, ignition, inputOf, noImages } from '../../fleet/render/render-inputs.fixture.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { renderInputs } from '../../fleet/render/renderer.ts'
import { renderChecked } from './checked-render.ts'
import type { PoolRenderFacts } from './facts.ts'

const butane = inputOf(
  '99-hello',
  ignition({ storage: { files: [{ path: '/etc/hello', contents: { inline: 'hello' } }] } }),
)
const ignoredInline =
  'spec.config.storage.files[0].contents.inline is ignored: the spec has no such key here; this is Butane syntax, not Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text'

/** The config of nodes after these were rendered; MCO ignores unknown keys. */
function renderedFrom(...inputs: RenderInput[]): MachineConfig {
  const { name, spec } = renderInputs('worker', inputs, noImages)
  return { metadata: { name }, spec: { ...spec } }
}

function decided(inputs: readonly RenderInput[], inUse: readonly MachineConfig[] = []) {
  const facts: PoolRenderFacts = {
    pool: { metadata: { name: 'worker' }, spec: {} },
    controllerConfig: undefined,
    nodeSettings: [],
    fromTemplates: [],
    inputs,
    inUse,
    foreignInputs: [],
    foreignConfigs: [],
    overrides: [],
    maker: { version: '1', build: '1' },
    release: 'main',
  }
  const decision = renderChecked(facts, renderInputs, { evaluate: () => undefined })
  return decision.type === 'blocked'
    ? [decision.check, decision.block.reason, decision.block.message]
    : decision.warnings
}

const base = inputOf('00-worker', { ...fileWith('/etc/motd', 'a'), kernelArguments: ['quiet'] })

describe('a MachineConfig with a key that Ignition ignores', () => {
  const refused = [
    'noMistakeChangesNodes',
    'BadMachineConfig',
    `MachineConfig 99-hello: ${ignoredInline}. Correct or delete it; nodes keep their config until then`,
  ]

  it('is not rendered if it would change nodes', () => {
    expect(decided([base, butane], [renderedFrom(base)])).toEqual(refused)
  })

  it('is not rendered for a pool without a config', () => {
    expect(decided([base, butane])).toEqual(refused)
  })

  it('is not rendered if it changes nodes of every config in use', () => {
    const other = inputOf('50-other', fileWith('/etc/other', 'x'))
    expect(decided([base, butane], [renderedFrom(base), renderedFrom(base, other)])).toEqual(
      refused,
    )
  })

  it('does not block other changes if nodes have it already', () => {
    const inUse = [renderedFrom(base, butane)]
    const warned = [`MachineConfig 99-hello: ${ignoredInline}`]
    expect(decided([base, butane], inUse)).toEqual(warned)
    const other = inputOf('50-other', {
      ...fileWith('/etc/other', 'x'),
      kernelArguments: ['nosmt'],
    })
    expect(decided([base, butane, other], inUse)).toEqual(warned)
  })

  it('is rendered if it is part of the desired config', () => {
    const other = inputOf('50-other', fileWith('/etc/other', 'x'))
    const inUse = [renderedFrom(base), renderedFrom(base, butane)]
    expect(decided([base, butane, other], inUse)).toEqual([
      `MachineConfig 99-hello: ${ignoredInline}`,
    ])
  })

  it.each<[string, MachineConfigSpec]>([
    ['a kernel argument', { kernelArguments: ['audit=1'] }],
    ['an extension', { extensions: ['usbguard'] }],
    ['a kernel', { kernelType: 'realtime' }],
    ['a unit', ignition({ systemd: { units: [{ name: 'a.service', mask: true }] } })],
  ])('must not bring %s either', (_, spec) => {
    const config = { ignition: { version: '3.2.0' }, ...spec.config, storag: { files: [], x: 1 } }
    const mistaken = inputOf('99-mistaken', { ...spec, config })
    const [check] = decided([base, mistaken], [renderedFrom(base)])
    expect(check).toBe('noMistakeChangesNodes')
  })

  it('and no other settings is a warning', () => {
    const misspelt = inputOf('99-misspelt', ignition({ storag: { files: [{ path: '/a' }] } }))
    expect(decided([base, misspelt], [renderedFrom(base)])).toEqual([
      'MachineConfig 99-misspelt: spec.config.storag is ignored: the spec has no such key here; did you mean "storage"?',
    ])
  })
})

it('a likely mistake is a warning', () => {
  const setuid = inputOf('99-setuid', fileWith('/usr/local/bin/x', 'a', { mode: 0o4755 }))
  expect(decided([base, setuid], [renderedFrom(base)])).toEqual([
    'MachineConfig 99-setuid: spec.config.storage.files[0].mode has setuid, setgid or sticky bits (octal 4755), which are dropped: Ignition supports them from version 3.4.0',
  ])
})
