import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { imageRegistryCases } from '../../integration/deploy/image-registries.ts'
import { onStage } from '../../integration/deploy/on-stage.ts'
import { startReal } from '../../integration/deploy/start-real.ts'

describeOnRealCluster('deploy/image-registries on a real API server', () => {
  onStage(startReal, imageRegistryCases)
})
