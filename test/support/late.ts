/**
 * Begins the message of a check that a machine under load can miss: an answer, a recovery or the effect of a fault that comes late.
 * A fault test is tried again after such a failure only, so that two acceptances of one message fail at the first sight.
 */
export const LATE = 'late: '
