/** The versions of the controllers that create MachineConfigs. */
export interface Maker {
  /** The version of the operator whose ControllerConfig is rendered. */
  readonly version: string
  /** The build of this controller, for the generated-by-controller-version annotation. */
  readonly build: string
}
