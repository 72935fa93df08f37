import { deployCases, uninstalling } from './cases.ts'
import { describeWithKubectl } from './stage.ts'
import { startEmbedded } from './start-embedded.ts'
import { wholeJobs } from './whole-jobs.ts'

describeWithKubectl('deploy/ and all components on the embedded API server', () => {
  deployCases(startEmbedded, wholeJobs, uninstalling)
})
