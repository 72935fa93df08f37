export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
