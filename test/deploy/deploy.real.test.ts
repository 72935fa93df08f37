import { describeOnRealCluster } from '../support/real-cluster.ts'
import { guardCases } from './guards.ts'
import { installing, uninstalling } from './installing.ts'
import { onStage } from './on-stage.ts'
import { peopleCases } from './people.ts'
import { rightsCases } from './rights.ts'
import { startReal } from './start-real.ts'
import { wholeJobs } from './whole-jobs.ts'

describeOnRealCluster('deploy/ on a real API server', () => {
  const cases = [installing, wholeJobs, rightsCases, peopleCases, guardCases, uninstalling]
  onStage(startReal, ...cases)
})
