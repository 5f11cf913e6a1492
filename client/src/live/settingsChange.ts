/** What a change of settings asks of the live half. */
export type SettingsChange = {
  /** Where clusters are found may be another place now. */
  readonly looks: boolean;
  /** What is connected is read with other versions, gates or controllers, or without other systems. */
  readonly restates: boolean;
  /** What is connected was connected otherwise, and stays so until it is connected again. */
  readonly reconnects: boolean;
};

/** One event can tell of several settings, as when a file of settings is saved. */
export function settingsChange(affects: (setting: string) => boolean): SettingsChange {
  const touches = (...names: readonly string[]): boolean =>
    names.some((name) => affects(`kubeBackoff.${name}`));
  return {
    looks: touches('cluster'),
    restates: touches('versions', 'controllers', 'featureGates', 'systems'),
    reconnects: touches('cluster.kubeconfig', 'cluster.namespaces'),
  };
}
