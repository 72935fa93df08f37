import { dryRun, installed, uninstalling } from '../../integration/deploy/installing.ts'
import { onStage } from '../../integration/deploy/on-stage.ts'
import { describeWithKubectl } from '../../integration/deploy/stage.ts'
import { startEmbedded } from '../../integration/deploy/start-embedded.ts'
import { componentCases } from '../../integration/deploy/component-cases.ts'

describeWithKubectl('deploy/ and all components on the embedded API server', () => {
  onStage(startEmbedded, installed, dryRun, componentCases, uninstalling)
})
