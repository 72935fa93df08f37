import { guardCases } from './guards.ts'
import { installing } from './installing.ts'
import { onStage } from './on-stage.ts'
import { describeWithKubectl } from './stage.ts'
import { startEmbedded } from './start-embedded.ts'

describeWithKubectl('deploy/ on the embedded API server', () => {
  onStage(startEmbedded, installing, guardCases)
})
