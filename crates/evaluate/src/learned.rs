//! Evaluation that is fitted to random play.
//!
//! * [`sample`]: short sequences of states from random play, with the mean results of playouts from them;
//! * [`progress`]: how near states are to better goals, where random play never reaches any;
//! * [`features`]: counted expressions over fluents that correlate with results, and a linear function of the best ones
//!   (after Walędzik and Mańdziuk);
//! * [`clune`]: models of payoff, control and termination over stable features (after Clune).

pub mod clune;
pub mod features;
pub mod progress;
pub mod sample;
