import { describeOnRealCluster } from '@machinist/testing/real-cluster'
import { guardCases } from '../../integration/deploy/guards.ts'
import { dryRun, installing, uninstalling } from '../../integration/deploy/installing.ts'
import { onStage } from '../../integration/deploy/on-stage.ts'
import { peopleCases } from '../../integration/deploy/people.ts'
import { rightsCases } from '../../integration/deploy/rights.ts'
import { startReal } from '../../integration/deploy/start-real.ts'
import { wholeJobs } from '../../integration/deploy/whole-jobs.ts'

describeOnRealCluster('deploy/ on a real API server', () => {
  const cases = [wholeJobs, rightsCases, peopleCases, guardCases]
  onStage(startReal, installing, dryRun, ...cases, uninstalling)
})
