import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { realFiles } from '@machinist/kube/connection/files'
import { until } from '@machinist/testing/until'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import { machineConfigs } from '../../../src/api/kinds/resources.ts'
import { run } from '../../../src/cli/program.ts'
import { DirectoryReader } from '../../../src/server/directory/read-directory.ts'
import { kubeletConfig, openShiftManifests, plainManifests, runtimeConfig } from './manifests.ts'
import { renderedManifests } from './render-manifests.ts'
import { RunningCluster } from './running-cluster.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-bootstrap-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const write = (path: string, text: string): string => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
  return join(directory, path)
}

/** Standard output of a command that must succeed. */
async function printed(...args: readonly string[]): Promise<string> {
  const result = { out: '', error: '' }
  const code = await run(args, {
    out: (text) => void (result.out += text),
    error: (text) => void (result.error += text),
    read: (path) => Promise.resolve(readFileSync(path)),
    stopped: () => new Promise(() => {}),
  })
  expect({ code, error: result.error }).toEqual({ code: 0, error: '' })
  return result.out
}

const withSettings = {
  ...plainManifests,
  'kubelet.yaml': kubeletConfig('pods', 'worker', 150),
  'runtime.yaml': runtimeConfig,
}
const openShift = { ...openShiftManifests, 'k.yaml': kubeletConfig('pods', 'master', 99) }

describe('rendered names of a bootstrap', { timeout: 180_000 }, () => {
  it('are those of machinist template and machinist render', async () => {
    const { files, pools } = await renderedManifests(plainManifests)
    const controllerConfig = files.get('controller-config/machine-config-controller.yaml')!
    const given = write('given.yaml', `${controllerConfig}---${plainManifests['cluster.yaml']}`)
    const templates = await printed('template', '--controller-config', given)
    const sources = [
      write('templates.yaml', templates),
      given,
      ...['pools/infra.yaml', 'configs/motd.yaml', 'configs/infra.json'].map((path) =>
        write(path, plainManifests[path]!),
      ),
    ]
    for (const [pool, config] of pools) {
      const out = await printed('render', '--pool', pool, '-o', 'json', '-f', ...sources)
      expect((JSON.parse(out) as MachineConfig).metadata.name).toBe(config)
    }
    expect([...pools.keys()]).toEqual(['infra', 'master', 'worker'])
  })

  it.each([
    ['another cluster', withSettings, false],
    ['OpenShift', openShift, true],
  ])('are those of %s with the same objects', async (_, manifests, isOpenShift) => {
    const { pools } = await renderedManifests(manifests)
    const cluster = await RunningCluster.start(isOpenShift)
    try {
      await cluster.apply(Object.values(manifests).toReversed())
      await cluster.run()
      expect(await cluster.settled(pools)).toEqual(pools)
    } finally {
      await cluster.stop()
    }
  })

  it.each([
    ['another cluster', withSettings, false],
    ['OpenShift', openShift, true],
  ])(
    'stay if the output is applied to %s: it adopts all objects',
    async (_, manifests, isOpenShift) => {
      const { files, pools } = await renderedManifests(manifests)
      const cluster = await RunningCluster.start(isOpenShift)
      const { client } = cluster
      try {
        const { 'pools/infra.yaml': _given, ...others } = manifests as Record<string, string>
        await cluster.apply([...Object.values(others), ...files.values()])
        const before = await client.list(machineConfigs)
        await cluster.run()
        await cluster.settled(pools)
        const owned = async (): Promise<MachineConfig[]> =>
          (await client.list(machineConfigs)).items.filter(
            ({ metadata }) => metadata.ownerReferences !== undefined,
          )
        const generated = [...files.keys()].filter((path) => path.startsWith('machine-configs/'))
        await until('every generated MachineConfig has an owner', async () => {
          return (await owned()).length === generated.length
        })
        await cluster.settled(pools)
        // No other config was ever rendered, and no content changed.
        const after = await client.list(machineConfigs)
        const contents = ({ items }: typeof after) =>
          Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec]))
        expect(contents(after)).toEqual(contents(before))
      } finally {
        await cluster.stop()
      }
    },
  )

  it('are served from the output directory', async () => {
    const { files, pools } = await renderedManifests(withSettings)
    for (const [path, text] of files) write(`out/${path}`, text)
    const reader = new DirectoryReader({ directory: join(directory, 'out'), files: realFiles })
    const read = await reader.read()
    expect(read.problems).toEqual([])
    expect(
      new Map([...read.pools].map(([name, pool]) => [name, pool.status?.configuration?.name])),
    ).toEqual(pools)
    expect(new Set(read.machineConfigs.keys())).toEqual(new Set(pools.values()))
    expect(read.controllerConfig?.spec.clusterDNSIP).toBe('10.96.0.10')
  })
})
