#pragma once

namespace treering::transport::mpi {

/// Joins the MPI that the user has initialised, or initialises it. In the latter case it is finalized when the process
/// exits, provided that every fabric has come to an agreed end by then. Throws Error if MPI has been finalized already
/// or its thread level is too low. Any thread.
void join();

/// True while MPI can be called at all.
bool usable();

/// Says how a fabric fares, for the decision at exit. Process-wide because MPI is.
void fabric_started(bool several_hosts);
void fabric_ended_well();

}  // namespace treering::transport::mpi
