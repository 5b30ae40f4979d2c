/** One line of the report: what was looked at, how it is, and what to do. `unknown`: it could not be asked. */
export type Finding = { status: 'ok' | 'problem' | 'unknown'; what: string; toDo: string };

export const ok = (what: string, toDo = 'Nothing to do.'): Finding => ({ status: 'ok', what, toDo });
export const problem = (what: string, toDo: string): Finding => ({ status: 'problem', what, toDo });
export const unknown = (what: string, toDo: string): Finding => ({ status: 'unknown', what, toDo });
