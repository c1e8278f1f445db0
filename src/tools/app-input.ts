import { z } from 'zod'

/** The argument that names an app. */
export const appInput = z.string().regex(/^[\w.-]{1,256}$/, 'an app id such as com.example.fieldnotes is wanted, not a name; listApps has the ids').describe('App id from listApps')
