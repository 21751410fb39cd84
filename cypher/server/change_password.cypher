// A new password for the user who is logged in; the server runs it on its database `system`.
// params: old (str), new (str)
// returns: nothing
// mode: schema
ALTER CURRENT USER SET PASSWORD FROM $old TO $new
