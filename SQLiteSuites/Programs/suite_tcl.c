/* Tcl's view of a volume: `suite size NAME`, `suite read NAME OFFSET COUNT`, … */
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

int suite_is_on(void);
int suite_close(void);
int suite_layer_start(const char *unused);
long long suite_size(const char *name);
long long suite_read(const char *name, void *buffer, long long count, long long offset);
long long suite_write(const char *name, const void *buffer, long long count, long long offset);
long long suite_truncate(const char *name, long long size);
long long suite_list(const char *name, void *buffer, long long count);
long long suite_remove(const char *name);
long long suite_make_folder(const char *name);
long long suite_rename(const char *old, const char *new);

static int suite(ClientData data, Tcl_Interp *interp, int count, Tcl_Obj *const words[]) {
    const char *what = count > 1 ? Tcl_GetString(words[1]) : "";
    const char *name = count > 2 ? Tcl_GetString(words[2]) : "";
    Tcl_WideInt offset = 0, length = 0, answer = 0;
    if (!strcmp(what, "size")) answer = suite_size(name);
    else if (!strcmp(what, "on")) answer = suite_is_on();
    else if (!strcmp(what, "close")) answer = suite_close();
    else if (!strcmp(what, "start")) answer = suite_layer_start(0);
    else if (!strcmp(what, "remove")) answer = suite_remove(name);
    else if (!strcmp(what, "folder")) answer = suite_make_folder(name);
    else if (!strcmp(what, "rename")) answer = suite_rename(name, Tcl_GetString(words[3]));
    else if (!strcmp(what, "truncate")) {
        if (Tcl_GetWideIntFromObj(interp, words[3], &length)) return TCL_ERROR;
        answer = suite_truncate(name, length);
    } else if (!strcmp(what, "write")) {
        int bytes;
        unsigned char *start = Tcl_GetByteArrayFromObj(words[4], &bytes);
        if (Tcl_GetWideIntFromObj(interp, words[3], &offset)) return TCL_ERROR;
        answer = suite_write(name, start, bytes, offset);
    } else if (!strcmp(what, "list")) {
        static char names[1 << 20];
        answer = suite_list(name, names, sizeof names);
        Tcl_SetObjResult(interp, Tcl_NewStringObj(names, answer < 0 ? 0 : answer));
        return TCL_OK;
    } else if (!strcmp(what, "read")) {
        Tcl_Obj *bytes = Tcl_NewByteArrayObj(0, 0);
        if (Tcl_GetWideIntFromObj(interp, words[3], &offset)) return TCL_ERROR;
        if (Tcl_GetWideIntFromObj(interp, words[4], &length)) return TCL_ERROR;
        answer = suite_read(name, Tcl_SetByteArrayLength(bytes, length), length, offset);
        Tcl_SetByteArrayLength(bytes, answer < 0 ? 0 : answer);
        Tcl_SetObjResult(interp, bytes);
        return TCL_OK;
    } else {
        Tcl_SetResult(interp, "unknown", TCL_STATIC);
        return TCL_ERROR;
    }
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(answer));
    return TCL_OK;
}

int Suitetcl_Init(Tcl_Interp *interp) {
    Tcl_CreateObjCommand(interp, "suite", suite, 0, 0);
    return TCL_OK;
}
