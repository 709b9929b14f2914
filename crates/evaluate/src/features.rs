//! Features: expressions over fluents with variables, whose value in a state is the number of their solutions there.
