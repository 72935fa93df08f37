import { expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { parseAccept } from '../answer/accept.ts'
import { ConfigService } from '../prepared/config-service.ts'
import { PreparedAnswers } from '../prepared/prepared-answers.ts'
import {
  controllerConfigText,
  MemoryFiles,
  poolText,
  renderedConfig,
} from './directory-texts.fixture.ts'
import { DirectorySource } from './directory-source.ts'
import { FollowedDirectory } from './follow-directory.ts'
import { DirectoryReader } from './read-directory.ts'

const clock = new VirtualClock()
const config = renderedConfig('worker', {})
const pool = '/d/machine-pools/worker.yaml'

function directory(): MemoryFiles {
  const files = new MemoryFiles()
  files.texts
    .set(pool, poolText('worker', config.name))
    .set(`/d/machine-configs/${config.name}.yaml`, config.text)
    .set('/d/controller-config/machine-config-controller.yaml', controllerConfigText('10.0.0.10'))
    .set('/k', 'kind: Config\n')
  return files
}

function sourceOf(files: MemoryFiles): DirectorySource {
  const reader = new DirectoryReader({ directory: '/d', kubeconfig: '/k', files })
  return new DirectorySource(new FollowedDirectory({ reader, clock, log: silentLogger }))
}

it('a bootstrap directory is served with its kubeconfig, and follows changes of its files', async () => {
  const files = directory()
  const source = sourceOf(files)
  const service = new ConfigService({
    source,
    clock,
    metrics: new Metrics(),
    answers: new PreparedAnswers(),
  })
  const stop = new AbortController()
  const running = Promise.all([source.run(stop.signal), service.run(stop.signal)])
  await clock.advance(3000)
  const accept = parseAccept('application/vnd.coreos.ignition+json;version=3.4.0')
  expect(service.find('worker', accept)).toMatchObject({ type: 'config', name: config.name })
  expect(service.find('master', accept)).toMatchObject({ type: 'refusal', status: 404 })
  const before = source.current()
  expect(before?.kubeconfig).toEqual({ type: 'file', text: 'kind: Config\n' })

  files.texts.set('/k', 'kind: Config\nusers: []\n')
  await clock.advance(3000)
  const after = source.current()
  expect(after?.kubeconfig).toEqual({ type: 'file', text: 'kind: Config\nusers: []\n' })
  expect(after?.trust).toBe(before?.trust)
  expect(after?.configs.get(config.name)).toBe(before?.configs.get(config.name))
  stop.abort()
  await running
})

it('without a kubeconfig no machine gets a config', async () => {
  const files = directory()
  files.texts.delete('/k')
  const source = sourceOf(files)
  const stop = new AbortController()
  const running = source.run(stop.signal)
  await clock.advance(1000)
  expect(source.current()?.kubeconfig).toMatchObject({ type: 'credential', server: undefined })
  stop.abort()
  await running
})
