/** One line of the report: what was checked, its status, and what to do. `unknown`: the check was not possible. */
export type Finding = { status: 'ok' | 'problem' | 'unknown'; what: string; toDo: string };

export const ok = (what: string, toDo = 'Nothing to do.'): Finding => ({ status: 'ok', what, toDo });
export const problem = (what: string, toDo: string): Finding => ({ status: 'problem', what, toDo });
export const unknown = (what: string, toDo: string): Finding => ({ status: 'unknown', what, toDo });
