import { deployCases } from './cases.ts'
import { describeWithKubectl } from './stage.ts'
import { startEmbedded } from './start-embedded.ts'

describeWithKubectl('deploy/ on the embedded API server', () => {
  deployCases(startEmbedded)
})
