import { describe, expect, it } from 'vitest'
import type {
  MachineConfig,
  MachineConfigPool,
  MachineOSBuild,
  MachineOSConfig,
} from '../../api/kinds/resources.ts'
import { layeredImage } from './layered-image.ts'
import type { ImageFacts } from './state.ts'

const digest = `sha256:${'a'.repeat(64)}`
const image = `quay.example/os@${digest}`
const internal = `image-registry.openshift-image-registry.svc:5000/ns/os@${digest}`

const pool = (updatedMachineCount: number): MachineConfigPool => ({
  metadata: { name: 'worker' },
  spec: { configuration: { name: 'rendered-worker-1' } },
  status: { configuration: { name: 'rendered-worker-1' }, machineCount: 3, updatedMachineCount },
})
const config: MachineConfig = { metadata: { name: 'rendered-worker-1' } }
const osConfig = (built: string): MachineOSConfig =>
  ({
    metadata: { name: 'worker' },
    spec: { machineConfigPool: { name: 'worker' } },
    status: { currentImagePullSpec: built },
  }) as MachineOSConfig
const osBuild = (condition: string, built: string, of = 'rendered-worker-1'): MachineOSBuild =>
  ({
    metadata: { name: 'worker-1' },
    spec: { machineConfig: { name: of }, machineOSConfig: { name: 'worker' } },
    status: { conditions: [{ type: condition, status: 'True' }], digestedImagePushSpec: built },
  }) as MachineOSBuild
const facts = (built = image, condition = 'Succeeded', of?: string): ImageFacts => ({
  osConfigs: [osConfig(built)],
  osBuilds: [osBuild(condition, built, of)],
  internalRegistries: ['default-route-openshift-image-registry.apps.example'],
})

describe('a new machine boots the layered image', () => {
  it('if it is built, a node runs its config, and any machine can pull it', () => {
    expect(layeredImage(pool(1), config, facts())).toBe(image)
  })

  it('that was built before the installation', () => {
    const annotations = {
      'machineconfiguration.openshift.io/pre-built-image': 'quay.example/early',
    }
    const early = { metadata: { ...config.metadata, annotations } }
    expect(layeredImage(pool(0), early, facts())).toBe('quay.example/early')
  })
})

describe('a new machine boots the image of its config if the layered image', () => {
  const route = `default-route-openshift-image-registry.apps.example/ns/os@${digest}`
  const none = { osConfigs: [], osBuilds: [], internalRegistries: [] }
  it.each<[string, number, ImageFacts]>([
    ['is not proven by a node', 0, facts()],
    ['is in the registry of the cluster', 1, facts(internal)],
    ['is behind the Route of that registry', 1, facts(route)],
    ['is being built', 1, facts(image, 'Building')],
    ['could not be built', 1, facts(image, 'Failed')],
    ['was built for another config', 1, facts(image, 'Succeeded', 'rendered-worker-2')],
    ['does not exist', 1, none],
  ])('%s', (_, updated, known) => {
    expect(layeredImage(pool(updated), config, known)).toBeUndefined()
  })
})
