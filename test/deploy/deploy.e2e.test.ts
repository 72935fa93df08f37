import { dryRun, installed, uninstalling } from './installing.ts'
import { onStage } from './on-stage.ts'
import { describeWithKubectl } from './stage.ts'
import { startEmbedded } from './start-embedded.ts'
import { wholeJobs } from './whole-jobs.ts'

describeWithKubectl('deploy/ and all components on the embedded API server', () => {
  onStage(startEmbedded, installed, dryRun, wholeJobs, uninstalling)
})
