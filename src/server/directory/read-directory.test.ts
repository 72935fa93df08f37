import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  controllerConfigText,
  MemoryFiles,
  poolText,
  renderedConfig,
} from './directory-texts.fixture.ts'
import { DirectoryReader } from './read-directory.ts'

const worker = renderedConfig('worker', { kernelArguments: ['quiet'] })
const master = renderedConfig('master', { kernelArguments: ['nosmt'] })
const paths = {
  worker: '/d/machine-pools/worker.yaml',
  master: '/d/machine-pools/master.yaml',
  workerConfig: `/d/machine-configs/${worker.name}.yaml`,
  masterConfig: `/d/machine-configs/${master.name}.yaml`,
  controllerConfig: '/d/controller-config/machine-config-controller.yaml',
  kubeconfig: '/etc/kubeconfig',
}

function directory(): { files: MemoryFiles; reader: DirectoryReader } {
  const files = new MemoryFiles()
  files.texts
    .set(paths.worker, poolText('worker', worker.name))
    .set(paths.master, poolText('master', master.name))
    .set(paths.workerConfig, worker.text)
    .set(paths.masterConfig, master.text)
    .set(paths.controllerConfig, controllerConfigText('10.0.0.10'))
    .set(paths.kubeconfig, 'kind: Config\n')
    // Not of the layout.
    .set('/d/machine-pools/notes.txt', 'a: [')
    .set('/d/machine-pools/.hidden.yaml', 'a: [')
    .set('/d/machine-configs/00-worker.yaml', 'a: [')
  const { kubeconfig } = paths
  return { files, reader: new DirectoryReader({ directory: '/d', kubeconfig, files }) }
}

describe('a bootstrap directory', () => {
  it('has pools, their rendered configs, the ControllerConfig and the kubeconfig', async () => {
    const { reader } = directory()
    const { pools, machineConfigs, controllerConfig, kubeconfig, problems } = await reader.read()
    expect(problems).toEqual([])
    expect([...pools.keys()]).toEqual(['master', 'worker'])
    expect([...machineConfigs.keys()]).toEqual([master.name, worker.name])
    expect(machineConfigs.get(worker.name)?.spec).toEqual({ kernelArguments: ['quiet'] })
    expect(controllerConfig?.spec.clusterDNSIP).toBe('10.0.0.10')
    expect(kubeconfig).toBe('kind: Config\n')
  })

  it('is read again, and unchanged files give the same objects', async () => {
    const { files, reader } = directory()
    const before = await reader.read()
    const next = renderedConfig('worker', { kernelArguments: ['splash'] })
    files.texts
      .set(paths.worker, poolText('worker', next.name))
      .set(`/d/machine-configs/${next.name}.yaml`, next.text)
    const after = await reader.read()
    expect(after.pools.get('worker')?.status?.configuration?.name).toBe(next.name)
    expect([...after.machineConfigs.keys()]).toEqual([master.name, next.name])
    expect(after.pools.get('master')).toBe(before.pools.get('master'))
    expect(after.machineConfigs.get(master.name)).toBe(before.machineConfigs.get(master.name))
    expect(after.controllerConfig).toBe(before.controllerConfig)
  })

  it('serves other pools if a pool or a config is bad, and names the file', async () => {
    const { files, reader } = directory()
    files.texts.set(paths.worker, 'a: [').set(paths.masterConfig, 'kind: Pod')
    const first = await reader.read()
    expect([...first.pools.keys()]).toEqual(['master'])
    expect([...first.machineConfigs.keys()]).toEqual([])
    expect(first.problems).toEqual([
      {
        path: paths.masterConfig,
        message: 'it is not a MachineConfig of machineconfiguration.openshift.io/v1',
        pool: 'master',
      },
      {
        path: paths.worker,
        message: expect.stringMatching(/^not valid YAML: .* at line 1/) as string,
        pool: 'worker',
      },
    ])
    files.texts.set(paths.worker, poolText('worker', worker.name))
    const second = await reader.read()
    expect([...second.machineConfigs.keys()]).toEqual([worker.name])
    expect([...second.pools.keys()]).toEqual(['master', 'worker'])
  })

  it('keeps the last valid content of a file that becomes bad or unreadable', async () => {
    const { files, reader } = directory()
    const before = await reader.read()
    const forbidden = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    files.texts
      .set(paths.worker, 'a: [')
      .set(paths.masterConfig, forbidden)
      .set(paths.controllerConfig, '{}')
      .set(paths.kubeconfig, ' ')
    const { problems, ...after } = await reader.read()
    expect(after).toEqual({
      pools: before.pools,
      machineConfigs: before.machineConfigs,
      controllerConfig: before.controllerConfig,
      kubeconfig: before.kubeconfig,
    })
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      `${paths.masterConfig}: it cannot be read: EACCES`,
      expect.stringMatching(/^\/d\/machine-pools\/worker.yaml: not valid YAML/) as string,
      `${paths.controllerConfig}: it is not a ControllerConfig of machineconfiguration.openshift.io/v1`,
      `${paths.kubeconfig}: it is empty`,
    ])
  })

  it('keeps everything while it is replaced, and forgets a pool whose file is gone', async () => {
    const { files, reader } = directory()
    const before = await reader.read()
    const all = new Map(files.texts)
    files.texts.clear()
    const gone = await reader.read()
    expect(gone.pools).toEqual(before.pools)
    expect(gone.machineConfigs).toEqual(before.machineConfigs)
    expect(gone.controllerConfig).toBe(before.controllerConfig)
    expect(gone.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      '/d/machine-pools: it does not exist',
      `${paths.controllerConfig}: it does not exist`,
      `${paths.kubeconfig}: it does not exist`,
    ])
    for (const [path, text] of all) files.texts.set(path, text)
    files.texts.delete(paths.worker)
    const after = await reader.read()
    expect([...after.pools.keys()]).toEqual(['master'])
    expect([...after.machineConfigs.keys()]).toEqual([master.name])
    expect(after.problems).toEqual([])
  })

  it('keeps the last config while the next one is not there yet', async () => {
    const { files, reader } = directory()
    const before = await reader.read()
    files.texts.set(paths.worker, poolText('worker', 'rendered-worker-next'))
    const after = await reader.read()
    expect(after.pools.get('worker')).toBe(before.pools.get('worker'))
    expect(after.machineConfigs.get(worker.name)).toBe(before.machineConfigs.get(worker.name))
    expect(after.problems).toEqual([
      {
        path: '/d/machine-configs/rendered-worker-next.yaml',
        message: 'it does not exist',
        pool: 'worker',
      },
    ])
  })

  it.each([
    [paths.worker, poolText('other', worker.name), 'metadata.name is not worker'],
    [paths.worker, poolText('worker', '../secret'), 'status.configuration.name is missing or'],
    [paths.worker, poolText('worker', worker.name).replace(/status:[^]*/, ''), 'status.conf'],
    [paths.worker, '', 'it is empty or not an object'],
    [paths.workerConfig, worker.text.replace('quiet', 'noisy'), 'the content does not match'],
    [paths.workerConfig, worker.text.slice(0, -12), 'the content does not match'],
    [paths.workerConfig, master.text, `metadata.name is not ${worker.name}`],
  ])('reports %s with a wrong content', async (path, text, message) => {
    const { files, reader } = directory()
    files.texts.set(path, text)
    const { problems, pools } = await reader.read()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ path, pool: 'worker' })
    expect(problems[0]?.message.startsWith(message)).toBe(true)
    expect(pools.has('master')).toBe(true)
  })

  it('accepts the names of MCO, which have another digest', async () => {
    const { files, reader } = directory()
    const name = 'rendered-worker-0123456789abcdef0123456789abcdef'
    files.texts
      .set(paths.worker, poolText('worker', name))
      .set(
        `/d/machine-configs/${name}.yaml`,
        worker.text.replaceAll(worker.name, name).replace('machinist-0.1.0', '5b1f9a2c3d4e5f60'),
      )
    expect((await reader.read()).problems).toEqual([])
  })

  it('is read without a crash whatever the files contain, and without quoting them', async () => {
    const canary = 'canary7d1f'
    const damage = fc.tuple(
      fc.constantFrom(paths.worker, paths.workerConfig, paths.controllerConfig, paths.kubeconfig),
      fc.string(),
      fc.nat(300),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { maxLength: 4 }), async (damages) => {
        const { files, reader } = directory()
        for (const [path, noise, at] of damages) {
          const text = String(files.texts.get(path))
          files.texts.set(path, `${text.slice(0, at)}${noise}${text.slice(at)}\n${canary}: {`)
        }
        const { pools, machineConfigs, problems } = await reader.read()
        expect(pools.has('master') && machineConfigs.has(master.name)).toBe(true)
        expect(JSON.stringify(problems)).not.toContain(canary)
      }),
    )
  })
})
