export interface ChoreRecords {
  /** Whether the caller is to do a chore now: true for one caller, then for nobody until `everyMs` have passed. */
  begin(name: string, everyMs: number): Promise<boolean>;
  /** Says that the chore is still being done, as if it had begun now. */
  keep(name: string): Promise<void>;
}
