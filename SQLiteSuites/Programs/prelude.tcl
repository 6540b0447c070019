# Runs one of SQLite's Tcl tests: testfixture prelude.tcl FILE.test
#
# With a volume under the program, Tcl's own commands see the volume's files first and the host's
# second. A name that looks like a database's belongs to the volume when it is made.

set suite_test [file normalize [lindex $argv 0]]
set argv [lrange $argv 1 end]
load $env(SUITE_TCL) Suitetcl

if {[suite on]} {
  rename file suite_host_file
  rename open suite_host_open
  rename close suite_host_close
  rename exec suite_host_exec

  proc suite_has {name} { expr {[suite size $name] != -1} }
  proc suite_is_database {name} {
    regexp {(\.db|\.db2|\.db3|-journal|-wal|sv_|\.sqlite)} [suite_host_file tail $name]
  }

  proc suite_content {name} {
    set size [suite size $name]
    if {$size > 0} { return [suite read $name 0 $size] }
    return ""
  }
  proc suite_store {name bytes} {
    suite truncate $name 0
    if {[string length $bytes]} { suite write $name 0 $bytes }
  }

  proc file {what args} {
    set name [lindex $args 0]
    switch -- $what {
      exists - readable - writable {
        if {[suite_has $name]} { return 1 }
      }
      size { if {[suite size $name] >= 0} { return [suite size $name] } }
      isfile { if {[suite size $name] >= 0} { return 1 } }
      isdirectory { if {[suite size $name] == -2} { return 1 } }
      mtime { if {[suite size $name] >= 0} { return 0 } }
      attributes - stat - lstat { }
      mkdir { foreach name $args { suite folder $name } }
      delete {
        foreach name $args {
          if {$name ne "-force" && [suite_has $name]} { suite remove $name }
        }
      }
      rename - copy {
        set names [lsearch -all -inline -not -exact $args -force]
        lassign $names from to
        if {[suite size $to] == -2} { set to $to/[suite_host_file tail $from] }
        if {[suite size $from] >= 0} {
          if {[lindex $args 0] ne "-force" && [suite_has $to]} {
            error "error copying \"$from\" to \"$to\": file already exists"
          }
          if {$what eq "rename"} { suite rename $from $to } else {
            suite_store $to [suite_content $from]
          }
          return
        }
        if {[suite_is_database $to]} {
          set channel [suite_host_open $from rb]
          suite_store $to [read $channel]
          suite_host_close $channel
          if {$what eq "rename"} { suite_host_file delete $from }
          return
        }
      }
    }
    uplevel 1 [list suite_host_file $what {*}$args]
  }

  rename glob suite_host_glob
  proc glob {args} {
    set found [uplevel 1 [list suite_host_glob -nocomplain {*}$args]]
    foreach pattern [lsearch -all -inline -not $args -*] {
      set folder [suite_host_file dirname $pattern]
      foreach name [split [suite list $folder] \n] {
        if {[string match [suite_host_file tail $pattern] $name]} {
          lappend found [expr {$folder eq "." ? $name : "$folder/$name"}]
        }
      }
    }
    return [lsort -unique $found]
  }

  # A file of the volume is copied out, and copied in when it is closed.
  proc open {name args} {
    set mode [lindex $args 0]
    if {$mode eq ""} { set mode r }
    if {[string index $name 0] eq "|" || ![suite_has $name]
        && !([string match {[wa]*} $mode] && [suite_is_database $name])} {
      return [uplevel 1 [list suite_host_open $name {*}$args]]
    }
    set channel [suite_host_file tempfile host]
    fconfigure $channel -translation binary
    puts -nonewline $channel [suite_content $name]
    suite_host_close $channel
    set channel [suite_host_open $host {*}$args]
    set ::suite_open($channel) [list $name $host [string match {*[wa+]*} $mode]]
    return $channel
  }
  proc close {channel args} {
    set done [uplevel 1 [list suite_host_close $channel {*}$args]]
    if {![info exists ::suite_open($channel)]} { return $done }
    lassign $::suite_open($channel) name host writes
    unset ::suite_open($channel)
    if {$writes} {
      set channel [suite_host_open $host rb]
      suite_store $name [read $channel]
      suite_host_close $channel
    }
    suite_host_file delete $host
  }

  # One process owns a volume: it is lent to a child, and connections are opened anew.
  proc exec {args} {
    if {[lsearch -exact $args [info nameofexec]] < 0} {
      return [uplevel 1 [list suite_host_exec {*}$args]]
    }
    set again {}
    foreach handle {db db2 db3} {
      if {![catch {$handle eval {PRAGMA database_list}} list]} {
        lappend again $handle $list
        $handle close
      }
    }
    suite close
    set code [catch {uplevel 1 [list suite_host_exec {*}$args]} answer options]
    suite start
      foreach {handle list} $again {
      foreach {number schema path} $list {
        if {$schema eq "main"} { sqlite3 $handle $path }
        if {$number > 1} { $handle eval "ATTACH '$path' AS $schema" }
      }
    }
    return -options $options $answer
  }
}

if {[suite on]} { set ::G(valgrind) 1 }  ;# the tests then leave out clients in other processes

set argv0 $suite_test
source $suite_test
