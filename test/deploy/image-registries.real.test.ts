import { describeOnRealCluster } from '../support/real-cluster.ts'
import { imageRegistryCases } from './image-registries.ts'
import { onStage } from './on-stage.ts'
import { startReal } from './start-real.ts'

describeOnRealCluster('deploy/image-registries on a real API server', () => {
  onStage(startReal, imageRegistryCases)
})
