import { describeOnRealCluster } from '../support/real-cluster.ts'
import { guardCases } from './guards.ts'
import { dryRun, installing, uninstalling } from './installing.ts'
import { onStage } from './on-stage.ts'
import { peopleCases } from './people.ts'
import { rightsCases } from './rights.ts'
import { startReal } from './start-real.ts'
import { wholeJobs } from './whole-jobs.ts'

describeOnRealCluster('deploy/ on a real API server', () => {
  const cases = [wholeJobs, rightsCases, peopleCases, guardCases]
  onStage(startReal, installing, dryRun, ...cases, uninstalling)
})
