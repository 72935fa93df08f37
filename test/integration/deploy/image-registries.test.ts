import { imageRegistryCases, isReferredToByNothing } from './image-registries.ts'
import { onStage } from './on-stage.ts'
import { describeWithKubectl } from './stage.ts'
import { startEmbedded } from './start-embedded.ts'

describeWithKubectl('deploy/image-registries on the embedded API server', () => {
  onStage(startEmbedded, imageRegistryCases)
  isReferredToByNothing()
})
